// Loaded into the service by --import for the memory figure: answers the message `memory` with what is in use
// after the garbage was collected.
process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc();
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ rss, heapUsed, external });
});
process.channel?.unref();
