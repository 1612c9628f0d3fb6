import { describe, expect, it } from '@jest/globals';
import { nextPage } from './pages.js';

describe('the pages of all downloads', () => {
  it('are read two at a time, however many downloads there are, and each download gets its own', async () => {
    let under = 0;
    let most = 0;
    async function* download(name: number) {
      for (let page = 0; page < 3; page += 1) {
        most = Math.max(most, (under += 1));
        await new Promise((resolve) => setTimeout(resolve, 1));
        under -= 1;
        yield [`${name}.${page}`];
      }
    }
    const all = await Promise.all(
      Array.from({ length: 10 }, async (_, name) => {
        const pages = download(name);
        const rows: string[] = [];
        for (let page = await nextPage(pages); !page.done; page = await nextPage(pages))
          rows.push(...page.value);
        return rows;
      }),
    );
    expect(all).toEqual(Array.from({ length: 10 }, (_, name) => [0, 1, 2].map((page) => `${name}.${page}`)));
    expect(most).toBe(2);
  });

  it('go on after one that failed', async () => {
    const broken = { next: () => Promise.reject(new Error('no')) } as unknown as AsyncIterator<
      string[],
      void
    >;
    for (let i = 0; i < 3; i += 1) await expect(nextPage(broken)).rejects.toThrow('no');
    const sound = [['a']].values() as unknown as AsyncIterator<string[], void>;
    expect(await nextPage({ next: () => Promise.resolve(sound.next()) })).toMatchObject({ value: ['a'] });
  });
});
