/**
 * The module boundaries (CONTRIBUTING.md, "Layout"). `npm run lint` checks them; test/house/boundaries.spec.ts checks
 * that each rule catches what it is there for.
 */

const CONTEXT = '^src/contexts/([^/]+)/';
const SPEC = '\\.spec\\.ts$';

/** Roles of a context's files, lowest first: a file imports files of its own context with a lower role only. */
const ROLES = [
  'events',
  'port',
  'domain',
  'entity',
  'store',
  'service',
  'dto',
  'guard',
  'controller',
  'module',
];
/** `aggregate` is a domain, `reconcile` and `strategy` are services by another name. */
const roleSuffix = (role) =>
  ({ domain: '(domain|aggregate)', service: '(service|reconcile|strategy)' })[role] ?? role;
const hasRole = (roles) => `\\.(${roles.map(roleSuffix).join('|')})\\.ts$`;

const upwards = ROLES.map((role, place) => ({
  name: `no-upward-import-from-${role}`,
  comment: `A ${role} file imports files of its own context with a lower role only.`,
  severity: 'error',
  from: { path: `${CONTEXT}.*${hasRole([role])}`, pathNot: SPEC },
  to: {
    path: `^src/contexts/$1/.*${hasRole(ROLES.slice(place + 1))}`,
  },
})).filter((_, place) => place < ROLES.length - 1);

export default {
  forbidden: [
    ...upwards,
    {
      name: 'no-helper-below-domain',
      comment: 'Events, ports, domains and entities import no file without a role.',
      severity: 'error',
      from: { path: `${CONTEXT}.*${hasRole(['events', 'port', 'domain', 'entity'])}`, pathNot: SPEC },
      to: { path: '^src/contexts/$1/', pathNot: hasRole(ROLES) },
    },
    {
      name: 'helpers-know-domain-only',
      comment: 'A file without a role imports events, ports, domains and other files without a role.',
      severity: 'error',
      from: { path: CONTEXT, pathNot: `${hasRole(ROLES)}|${SPEC}` },
      to: { path: `^src/contexts/$1/.*${hasRole(['store', 'service', 'dto', 'controller', 'module'])}` },
    },
    {
      name: 'other-contexts-by-port-and-events',
      comment: 'Of another context only ports and events may be imported.',
      severity: 'error',
      from: { path: CONTEXT, pathNot: `${SPEC}|${hasRole(['controller', 'guard', 'module'])}` },
      to: { path: '^src/contexts/', pathNot: `^src/contexts/$1/|${hasRole(['events', 'port'])}` },
    },
    {
      name: 'controllers-use-guards-of-other-contexts',
      comment:
        'A controller or guard may also import another context’s guards: a guard belongs to what it checks.',
      severity: 'error',
      from: { path: `${CONTEXT}.*${hasRole(['controller', 'guard'])}`, pathNot: SPEC },
      to: { path: '^src/contexts/', pathNot: `^src/contexts/$1/|${hasRole(['events', 'port', 'guard'])}` },
    },
    {
      name: 'modules-import-modules',
      comment: 'A module may import other contexts’ modules, ports and events.',
      severity: 'error',
      from: { path: `${CONTEXT}.*${hasRole(['module'])}`, pathNot: SPEC },
      to: { path: '^src/contexts/', pathNot: `^src/contexts/$1/|${hasRole(['events', 'port', 'module'])}` },
    },
    {
      name: 'identity-stands-below',
      comment: 'Every context asks identity; it asks none but the operators’ cases.',
      severity: 'error',
      from: { path: '^src/contexts/identity/', pathNot: SPEC },
      to: { path: '^src/contexts/', pathNot: '^src/contexts/(identity|operations)/' },
    },
    {
      name: 'bank-stands-below',
      comment: 'The bank knows accounts and payouts, neither wallets nor payments.',
      severity: 'error',
      from: { path: '^src/contexts/bank/', pathNot: SPEC },
      to: { path: '^src/contexts/', pathNot: '^src/contexts/(bank|identity)/' },
    },
    {
      name: 'kernel-imports-nothing',
      comment: 'The kernel stands on Node alone.',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: SPEC },
      to: { pathNot: '^src/kernel/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'platform-knows-no-context',
      comment: 'The platform imports the kernel and itself.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: SPEC },
      to: { path: '^src/', pathNot: '^src/(platform|kernel)/' },
    },
    {
      name: 'http-for-controllers-only',
      comment: 'Only controllers, request and response classes and guards import platform/http.',
      severity: 'error',
      from: { path: '^src/contexts/', pathNot: `${SPEC}|${hasRole(['controller', 'dto', 'guard'])}` },
      to: { path: '^src/platform/http/' },
    },
    {
      name: 'domain-imports-no-package',
      comment: 'Domain rules stand on the language and the kernel alone.',
      severity: 'error',
      from: { path: `${CONTEXT}.*\\.domain\\.ts$` },
      to: { pathNot: '^src/(contexts|kernel)/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'no-cycle',
      comment: 'Ports, modules and all other files form no ring.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-barrel',
      comment: 'No index.ts: an import names the file that holds what it takes.',
      severity: 'error',
      from: {},
      to: { path: '^src/.*index\\.ts$' },
    },
    {
      name: 'no-test-imported',
      comment: 'The service imports no test; a test beside it may share samples.',
      severity: 'error',
      from: { pathNot: '\\.spec\\.ts$|^test/' },
      to: { path: '\\.spec\\.ts$|^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
