export { BrowserRouter, Link, Navigate, Outlet, Route, Routes, useLocation } from 'react-router';
