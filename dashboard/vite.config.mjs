import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds the running service: where `npm start` puts it with the same environment. */
const { PORT, SERVICE_URL } = process.env;
const service = SERVICE_URL || `http://127.0.0.1:${PORT || 3000}`;

/** What `src/main.ts` begins with, step by step. */
const STEPS = ['start/react.ts', 'start/router.ts', 'start/query.ts', 'start/mantine.ts', 'start/app.tsx'];
/** What stands around every screen of who is signed in, as most are who come. */
const FRAME = 'parts/frame/shell.tsx';
/** Vite's own, which every chunk that loads others imports: where it stood among others, they were evaluated with it. */
const LOADER = /vite\/preload-helper/;

/** Has the page name the files of all steps, so that they are loaded at once. */
const preloadSteps = {
  name: 'preload-steps',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter(({ type }) => type === 'chunk');
      const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const files = new Set();
      const follow = (chunk) => {
        if (!chunk || files.has(chunk.fileName)) return;
        files.add(chunk.fileName);
        for (const file of chunk.imports) follow(byFile.get(file));
      };
      for (const step of [...STEPS, FRAME]) {
        follow(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${step}`)));
      }
      const named = [...files].filter((file) => !html.includes(file));
      return named.map((file) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        injectTo: 'head',
      }));
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadSteps],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The build script holds the first screens to their size by it, then removes it.
    manifest: 'manifest.json',
    target: 'es2023',
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each step with all that it needs is one file, and screens share what the app has.
          groups: [
            { name: 'load', test: LOADER, priority: 9 },
            ...STEPS.map((step, i) => ({
              name: step.replace(/^start\/|\.tsx?$/g, ''),
              test: new RegExp(`/src/${RegExp.escape(step)}$`),
              priority: STEPS.length - i,
            })),
          ],
        },
      },
    },
    // The policy of the page forbids data: for anything but images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    // What starts it says that it is there: on another port it would not be found.
    strictPort: true,
    proxy: Object.fromEntries(
      ['/api', '/v1', '/mcp', '/health', '/docs', '/openapi.json'].map((path) => [path, { target: service }]),
    ),
  },
});
