import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds the running service: where `npm start` puts it with the same environment. */
const { PORT, SERVICE_URL } = process.env;
const service = SERVICE_URL || `http://127.0.0.1:${PORT || 3000}`;

/** What `src/main.ts` begins with, step by step. */
const STEPS = ['start/react.ts', 'start/libraries.ts', 'start/app.tsx'];
/** Vite's own, which every chunk that loads others imports: where it stood among others, they were evaluated with it. */
const LOADER = /vite\/preload-helper/;
/** Small, and used on the first screens of guests and of users. */
const EVERYWHERE =
  /\/src\/(start\/app|parts\/(display\/icons|forms\/sending|frame\/color-scheme)|(money\/money|text\/validation))\.tsx?$/;
/** What the entry itself evaluates. */
const EARLY = /\/src\/(start\/(early|first-screen)|parts\/loading\/loader|live\/(shared-)?stream)\.ts$/;

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
      for (const step of STEPS)
        follow(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${step}`)));
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
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.replace(/~.*|\.\w+$/, '')}-[hash][extname]`,
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
        codeSplitting: {
          /*
           * Of HTTP/1.1 six files are loaded at a time: a few large ones come sooner than many small ones. Each step
           * with all that it needs is one, so are the frame and Home; what screens share is 12 kB at least.
           */
          groups: [
            { name: 'load', test: LOADER, priority: 9 },
            { name: 'early', test: EARLY, priority: 9 },
            { name: 'react', test: /\/src\/start\/react\.ts$/, priority: 8 },
            { name: 'libraries', test: /\/src\/start\/libraries\.ts$/, priority: 7 },
            { name: 'app', test: EVERYWHERE, priority: 6 },
            { name: 'fields', test: /components\/(Input|TextInput|PasswordInput)\//, priority: 5 },
            { name: 'forms', test: /@mantine\/form\//, priority: 5 },
            { name: 'sign-in', test: /screens\/sign-in\/sign-in\.tsx$/, priority: 4 },
            { name: 'frame', test: /parts\/frame\/shell\.tsx$/, priority: 3 },
            { name: 'home', test: /screens\/home\/(home|lower)\.tsx$/, priority: 2 },
            { name: 'payment-list', test: /screens\/payments\/payment-list\.tsx$/, priority: 1.5 },
            { name: 'wallet', test: /screens\/wallet\/wallet\.tsx$/, priority: 1 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 12_000 },
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
