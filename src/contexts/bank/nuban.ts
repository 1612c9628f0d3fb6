const WEIGHTS = [3, 7, 3];

/** Brings the three forms of a bank code to the six digits that the check digit is computed over, or null. */
function institutionCode(bankCode: string): string | null {
  if (/^\d{3}$/.test(bankCode)) return `000${bankCode}`;
  if (/^\d{5}$/.test(bankCode)) return `9${bankCode}`;
  return /^\d{6}$/.test(bankCode) ? bankCode : null;
}

/**
 * The tenth digit of a NUBAN account number, after the Central Bank's standard of 2010 as revised in 2020: the
 * institution's code and the serial of nine digits, weighted 3, 7, 3 in turn; null for a malformed code or serial.
 */
export function nubanCheckDigit(bankCode: string, serial9: string): string | null {
  const institution = institutionCode(bankCode);
  if (!institution || !/^\d{9}$/.test(serial9)) return null;
  const digits = Array.from(institution + serial9, Number);
  const sum = digits.reduce((total, digit, place) => total + digit * (WEIGHTS[place % 3] ?? 0), 0);
  return String((10 - (sum % 10)) % 10);
}

/**
 * Whether the check digit of an account number fits its bank. It makes account numbers and may warn, but must
 * never refuse a payee: numbers in real use fail it, and one wrong number in ten passes.
 */
export function isNuban(bankCode: string, accountNumber: string): boolean {
  return (
    /^\d{10}$/.test(accountNumber) &&
    nubanCheckDigit(bankCode, accountNumber.slice(0, 9)) === accountNumber[9]
  );
}
