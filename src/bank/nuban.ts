const WEIGHTS = [3, 7, 3];

/**
 * The check digit of a NUBAN account number (CBN, revised 2020): over the six-digit institution code and the
 * nine-digit serial, weighted 3, 7, 3 over and over. A bank's 3-digit code counts as `000` + code, another
 * institution's 5-digit code as `9` + code.
 */
export function nubanCheckDigit(bankCode: string, serial: string): number {
  const institution = bankCode.length === 5 ? `9${bankCode}` : bankCode.padStart(6, '0');
  const sum = [...institution, ...serial].reduce(
    (total, digit, i) => total + Number(digit) * (WEIGHTS[i % 3] ?? 0),
    0,
  );
  return (10 - (sum % 10)) % 10;
}

/** Whether a 10-digit account number carries the right check digit for the bank. Says nothing on existence. */
export function isNuban(bankCode: string, accountNumber: string): boolean {
  if (!/^\d{10}$/.test(accountNumber)) return false;
  return nubanCheckDigit(bankCode, accountNumber.slice(0, 9)) === Number(accountNumber[9]);
}
