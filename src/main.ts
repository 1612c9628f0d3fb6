/**
 * Imports nothing before it knows that this Node can read the rest: an older one ends with a sentence, not a
 * SyntaxError.
 */
export const NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
  process.stderr.write(
    `The service needs Node ${NODE_MAJOR} or newer; ${process.execPath} is ${process.version}. ` +
      '`npm start` brings its own, after `npm ci`.\n',
  );
  process.exitCode = 1;
} else {
  const { start } = await import('./start.js');
  await start();
}
