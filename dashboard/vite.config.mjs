import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds the running service: where `npm start` puts it with the same environment. */
const { PORT, SERVICE_URL } = process.env;
const service = SERVICE_URL || `http://127.0.0.1:${PORT || 3000}`;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The build script holds the first screens to their size by it, then removes it.
    manifest: 'manifest.json',
    target: 'es2023',
    // The policy of the page forbids data: for anything but images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/v1', '/health', '/docs', '/openapi.json'].map((path) => [path, { target: service }]),
    ),
  },
});
