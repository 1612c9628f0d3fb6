import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const LINES_MAX = 300;

/** Budgets. Lower them when the code needs less; never raise them. */
const COMMENT_WORDS_MAX = 22_000;
const OPENINGS_MAX = 20;
const IDIOMS_MAX = 10;

/** Files above {@link LINES_MAX} lines, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'src/contexts/notifications/deliveries/sender.spec.ts': 'Its tests share one receiver.',
  'src/contexts/payments/authorize/authorize.controller.ts': 'Documents every answer of the pay route.',
  'src/contexts/payments/transactions/transactions.dto.ts': 'Documents every property of a transaction.',
  'src/contexts/settlement/settlement.service.ts':
    'Opening, submitting and polling share its leases and circuit.',
  'src/platform/batching/group-commit.spec.ts': 'One class, whose tests share one set-up.',
  'src/platform/config.spec.ts': 'Covers every setting.',
  'src/platform/config.ts': 'Declares every setting.',
  'src/platform/database/migrate.ts': 'Lists every migration.',
};

/** Openings that leave a reader to guess the subject; a comment opens with a verb or a noun phrase instead. */
const OPENING = new RegExp(
  `^(${[
    'Of (?!course)',
    'What (is|was|are|it|they|makes|stands|follows|comes|became|belongs|has|had|would|will|can|an|the|each|every|one|has)\\b',
    'Whether\\b',
    'How (it|far|an|the|a|they|many|long|one)\\b',
    'The same\\b',
    'So (many|far|much|long|that)\\b',
    'That (the|it|a|an|each|there)\\b',
    'There where\\b',
    'Has \\w+ (be |know|done)',
    'Who\\b',
    'Where (it|the|a|an|one|they|there)\\b',
    'Until (when|what)\\b',
    'As (far|it|they|long)\\b',
    'For (whom|what)\\b',
  ].join('|')})`,
);

/** Idioms that a reader has to ask about. */
const IDIOM = new RegExp(
  `\\b(${[
    'is told|are told|was told|tells? of|told of|tells? apart|told apart',
    'looked at|looks at|look at it|is asked of|are asked of|is known of|what is known|by name alone',
    'for ever|ever more|nobody|whoever|a word on|has its word|the later word|as they stood|as it stood',
    'hand(s|ed)? out|put(s)? off|goes the way|comes? to nothing|stands for (it|them)|is meant by',
    "alike|unasked|unbegun|heed|neighbour's fault|of which there",
  ].join('|')})\\b`,
  'i',
);

/** Block comments, runs of line comments, and comments at the end of a line. */
const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?:^|\n)((?:[ \t]*\/\/[^\n]*(?:\n|$))+)|[^:'"`\n]\/\/ ([^\n]*)/g;
const COMMENT_MARK = /^[ \t]*(\*|\/\/)[ \t]?/gm;
const DIRECTIVE = /^(eslint|@ts|#|prettier|istanbul)/;

interface Comment {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesOf = (...patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT })
    .filter((file) => !/schema(\.d)?\.ts$/.test(file))
    .sort();

function commentsIn(file: string): Comment[] {
  const text = textOf(file);
  return [...text.matchAll(COMMENT)]
    .map((match) => ({
      file,
      line: text.slice(0, match.index).split('\n').length,
      text: (match[1] ?? match[2] ?? match[3] ?? '').replace(COMMENT_MARK, '').trim(),
    }))
    .filter((comment) => comment.text !== '' && !DIRECTIVE.test(comment.text));
}

const place = ({ file, line, text }: Comment): string => `${file}:${line} ${text.slice(0, 80)}`;

/** Fails with all places when there are more than the budget allows. */
const expectWithin = (max: number, places: readonly string[]): void => {
  expect(places.length > max ? places : []).toEqual([]);
};

const source = filesOf('src/**/*.ts');
const comments = [
  ...source,
  ...filesOf('sdk/src/**/*.ts', 'scripts/**/*.{ts,mjs}', 'dashboard/src/**/*.{ts,tsx}'),
].flatMap(commentsIn);

describe('the comments', () => {
  it('are found in blocks, runs of lines and ends of lines', () => {
    expect(comments.length).toBeGreaterThan(500);
    expect(commentsIn('test/house/tidy.spec.ts').map(({ text }) => text)).toContain(
      'Idioms that a reader has to ask about.',
    );
  });

  it('of src keep within their budget of words', () => {
    const words = comments
      .filter(({ file }) => file.startsWith('src/') && !file.endsWith('.spec.ts'))
      .reduce((total, { text }) => total + text.split(/\s+/).length, 0);
    expect(words).toBeLessThanOrEqual(COMMENT_WORDS_MAX);
  });

  it('open with a verb or a noun phrase', () => {
    expectWithin(OPENINGS_MAX, comments.filter(({ text }) => OPENING.test(text)).map(place));
  });

  it('use no idiom that a reader has to ask about', () => {
    expectWithin(IDIOMS_MAX, comments.filter(({ text }) => IDIOM.test(text)).map(place));
  });
});

describe('the files of src', () => {
  it(`have at most ${LINES_MAX} lines, or a reason`, () => {
    const long = source.filter((file) => textOf(file).split('\n').length - 1 > LINES_MAX);
    expect(long.filter((file) => LONG_FILES[file] === undefined)).toEqual([]);
  });

  it('declare each exported type name once', () => {
    const declared = new Map<string, string[]>();
    for (const file of source.filter((path) => !path.endsWith('.spec.ts'))) {
      const exported = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm;
      for (const [, name] of textOf(file).matchAll(exported)) {
        declared.set(name!, [...(declared.get(name!) ?? []), file]);
      }
    }
    const repeated = [...declared].filter(([, files]) => files.length > 1);
    expect(repeated).toEqual([]);
  });
});
