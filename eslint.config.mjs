import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', '.data/', 'dashboard/dist/', 'sdk/dist/']),
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A Nest module is a class whose content is its decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => calls.push(x)` and `(resolve) => setTimeout(resolve)` read well as they are.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Nest types its plain options as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Spreading is how code points are counted and how plain events are copied.
      '@typescript-eslint/no-misused-spread': 'off',
      // `publish<E>(events: readonly E[])` says what it takes.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**/*.ts'],
    rules: {
      // `expect(bank.payOut).toHaveBeenCalled()` names a method without calling it.
      '@typescript-eslint/unbound-method': 'off',
      // A test that finds nothing where it looks fails anyway, and says so at that line.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'scripts/**/*.ts'],
    ignores: ['src/platform/events/events.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@nestjs/event-emitter',
              allowImportNames: ['EventEmitterModule'],
              message:
                'Subscribe with InTransaction, AfterCommit or Prefetch and publish with Events.publish: what OnEvent and emit do is outside the transaction, and loses errors.',
            },
            { name: 'eventemitter2', message: 'The bus is Events.' },
          ],
        },
      ],
    },
  },
  {
    files: ['dashboard/src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest']],
    rules: { 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'URL', 'fetch', 'setTimeout', 'performance', 'Buffer'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['dashboard/public/sw.js'],
    languageOptions: {
      globals: { self: 'readonly', URL: 'readonly', MessageChannel: 'readonly', setTimeout: 'readonly' },
    },
  },
  {
    files: ['src/platform/http/openapi/reference/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(
        [
          'document',
          'localStorage',
          'matchMedia',
          'addEventListener',
          'getComputedStyle',
          'MutationObserver',
          'SwaggerUIBundle',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  prettier,
);
