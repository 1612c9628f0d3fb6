import { freePort } from './ports.js';

/** Each line of a scrape: `name{label="value"}` and its figure. */
export class Scrape {
  constructor(readonly figures: ReadonlyMap<string, number>) {}

  /** The sum of all lines of this name whose labels include these; undefined where there is none. */
  figure(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const found = [...this.figures].filter(([line]) => {
      const [, lineName, inside = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(line) ?? [];
      return lineName === name && wanted.every((pair) => inside.split(',').includes(pair));
    });
    return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0);
  }

  get names(): Set<string> {
    return new Set([...this.figures.keys()].map((line) => line.replace(/\{.*$/, '')));
  }
}

/** Asks for a service's metrics as Prometheus does. */
export class Scraper {
  private constructor(readonly port: number) {}

  static async make(): Promise<Scraper> {
    return new Scraper(await freePort());
  }

  get env(): Record<string, string> {
    return { METRICS_PORT: String(this.port) };
  }

  async text(): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/metrics`);
    if (answer.status !== 200) throw new Error(`the scrape was answered ${answer.status}`);
    return answer.text();
  }

  async scrape(): Promise<Scrape> {
    const lines = (await this.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Scrape(
      new Map(
        lines.map((line) => {
          const at = line.lastIndexOf(' ');
          return [line.slice(0, at), Number(line.slice(at + 1))];
        }),
      ),
    );
  }
}
