const WEIGHTS = [3, 7, 3];

/** Six-digit form of a bank code, or null. */
function institutionCode(bankCode: string): string | null {
  if (/^\d{3}$/.test(bankCode)) return `000${bankCode}`;
  if (/^\d{5}$/.test(bankCode)) return `9${bankCode}`;
  return /^\d{6}$/.test(bankCode) ? bankCode : null;
}

/** By the Central Bank's standard (2010, revised 2020); null if malformed. */
export function nubanCheckDigit(bankCode: string, serial9: string): string | null {
  const institution = institutionCode(bankCode);
  if (!institution || !/^\d{9}$/.test(serial9)) return null;
  const digits = Array.from(institution + serial9, Number);
  const sum = digits.reduce((total, digit, place) => total + digit * (WEIGHTS[place % 3] ?? 0), 0);
  return String((10 - (sum % 10)) % 10);
}

/** Must never refuse a payee: numbers in real use fail it. */
export function isNuban(bankCode: string, accountNumber: string): boolean {
  return (
    /^\d{10}$/.test(accountNumber) &&
    nubanCheckDigit(bankCode, accountNumber.slice(0, 9)) === accountNumber[9]
  );
}
