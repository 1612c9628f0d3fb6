import {
  type Attributes,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
} from '@opentelemetry/api';

export interface Reading {
  readonly value: number;
  readonly labels?: Attributes;
}

const noStop = (): Promise<void> => Promise.resolve();

/** Instruments, named as Prometheus shows them: unit last, `_total` for counters. Off, they do nothing. */
export class Metrics {
  readonly isOn: boolean;
  private readonly meter: Meter;

  constructor(
    meter?: Meter,
    readonly stop = noStop,
  ) {
    this.isOn = meter !== undefined;
    this.meter = meter ?? createNoopMeter();
  }

  /** Shows `labels` as 0 from the start: the first event is an increase. */
  counter(name: string, description: string, labels: readonly Attributes[] = [{}]): Counter {
    const counter = this.meter.createCounter(name, { description });
    for (const each of labels) counter.add(0, each);
    return counter;
  }

  /** `bounds`: upper bounds of the buckets. */
  histogram(name: string, description: string, bounds: readonly number[]): Histogram {
    return this.meter.createHistogram(name, {
      description,
      advice: { explicitBucketBoundaries: [...bounds] },
    });
  }

  /** Reads at each scrape; `read` does no I/O. */
  gauge(name: string, description: string, read: () => number | readonly Reading[]): void {
    this.meter.createObservableGauge(name, { description }).addCallback((result) => {
      for (const { value, labels } of listed(read())) result.observe(value, labels);
    });
  }

  /** As {@link gauge}, for sums that only grow. */
  total(name: string, description: string, read: () => number | readonly Reading[]): void {
    this.meter.createObservableCounter(name, { description }).addCallback((result) => {
      for (const { value, labels } of listed(read())) result.observe(value, labels);
    });
  }

  /** Gauges that one `read` fills together. It must not throw. */
  gauges<Name extends string>(
    descriptions: Readonly<Record<Name, string>>,
    read: () => Promise<readonly (Reading & { readonly gauge: Name })[]>,
  ): void {
    const names = Object.keys(descriptions) as Name[];
    const made = new Map(
      names.map((name) => [
        name,
        this.meter.createObservableGauge(name, { description: descriptions[name] }),
      ]),
    );
    this.meter.addBatchObservableCallback(
      async (result) => {
        for (const { gauge, value, labels } of await read()) {
          const instrument = made.get(gauge);
          if (instrument) result.observe(instrument, value, labels);
        }
      },
      [...made.values()],
    );
  }
}

function listed(figure: number | readonly Reading[]): readonly Reading[] {
  return typeof figure === 'number' ? [{ value: figure }] : figure;
}
