export { MantineProvider, Stack, Text, Title } from '@mantine/core';
export {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
export { BrowserRouter, Link, Navigate, Outlet, Route, Routes, useLocation } from 'react-router';
