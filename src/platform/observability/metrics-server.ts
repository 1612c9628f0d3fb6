import { Metrics } from './metrics.js';

/** Serves `/metrics` for Prometheus. Throws an Error that names the variable. */
export async function serveMetrics(port: number, host: string): Promise<Metrics> {
  const [{ MeterProvider }, { PrometheusExporter }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-prometheus'),
  ]);
  const exporter = new PrometheusExporter({
    port,
    host,
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  const provider = new MeterProvider({ readers: [exporter] });
  await exporter.startServer().catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another process listens there; set a free port' : message;
    throw new Error(`METRICS_PORT: can't listen on port ${port} of ${host}: ${why}`);
  });
  return new Metrics(provider.getMeter('agent-payment-wallet'), () => provider.shutdown());
}
