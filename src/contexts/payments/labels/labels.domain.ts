export const MEMO_LENGTH_MAX = 500;
export const LABEL_LENGTH_MAX = 60;

export interface PlacedPayment {
  readonly walletId: string;
  readonly transactionId: string;
}

export interface Labels {
  readonly memo: string | null;
  readonly category: string | null;
  readonly costCentre: string | null;
}

/** Absent: stays as it is; null: removed. */
export type LabelChange = { readonly [Name in keyof Labels]?: Labels[Name] | undefined };

export interface UsedLabels {
  readonly categories: readonly string[];
  readonly costCentres: readonly string[];
}

/** NFC, trimmed, single spaces. */
export function labelText(text: string): string {
  return text
    .normalize('NFC')
    .trim()
    .replace(/[ \u00a0]+/gu, ' ');
}

export function withChange(before: Labels, { memo, category, costCentre }: LabelChange): Labels {
  return {
    memo: memo === undefined ? before.memo : memo,
    category: category === undefined ? before.category : category,
    costCentre: costCentre === undefined ? before.costCentre : costCentre,
  };
}

export function differences(
  before: Labels,
  after: Labels,
): { before: Partial<Labels>; after: Partial<Labels> } | null {
  const names = (['memo', 'category', 'costCentre'] as const).filter((name) => before[name] !== after[name]);
  if (names.length === 0) return null;
  const of = (labels: Labels) => Object.fromEntries(names.map((name) => [name, labels[name]]));
  return { before: of(before), after: of(after) };
}
