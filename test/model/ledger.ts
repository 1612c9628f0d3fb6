/** The ledger of a wallet again: its balance is what its entries add up to. */
export class NaiveLedger {
  readonly entries: { type: string; amount: number; balanceAfter: number }[] = [];

  get balance(): number {
    return this.entries.reduce((sum, { type, amount }) => sum + (type === 'debit' ? -amount : amount), 0);
  }

  credit(amount: number, type: 'topup' | 'refund' = 'topup'): void {
    this.entries.push({ type, amount, balanceAfter: this.balance + amount });
  }

  debit(amount: number): void {
    this.entries.push({ type: 'debit', amount, balanceAfter: this.balance - amount });
  }
}
