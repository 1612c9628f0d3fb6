/** By the Central Bank's three-digit code. Incomplete: a bank missing here is as good as any. */
export const BANKS = [
  { code: '011', name: 'First Bank of Nigeria' },
  { code: '023', name: 'Citibank Nigeria' },
  { code: '032', name: 'Union Bank of Nigeria' },
  { code: '033', name: 'United Bank for Africa' },
  { code: '035', name: 'Wema Bank' },
  { code: '044', name: 'Access Bank' },
  { code: '050', name: 'Ecobank Nigeria' },
  { code: '057', name: 'Zenith Bank' },
  { code: '058', name: 'GTBank' },
  { code: '063', name: 'Access Bank (Diamond)' },
  { code: '068', name: 'Standard Chartered Bank' },
  { code: '070', name: 'Fidelity Bank' },
  { code: '076', name: 'Polaris Bank' },
  { code: '082', name: 'Keystone Bank' },
  { code: '100', name: 'SunTrust Bank' },
  { code: '101', name: 'Providus Bank' },
  { code: '102', name: 'Titan Trust Bank' },
  { code: '103', name: 'Globus Bank' },
  { code: '104', name: 'Parallex Bank' },
  { code: '105', name: 'PremiumTrust Bank' },
  { code: '106', name: 'Signature Bank' },
  { code: '107', name: 'Optimus Bank' },
  { code: '108', name: 'Alpha Morgan Bank' },
  { code: '109', name: 'Tatum Bank' },
  { code: '214', name: 'First City Monument Bank' },
  { code: '215', name: 'Unity Bank' },
  { code: '221', name: 'Stanbic IBTC Bank' },
  { code: '232', name: 'Sterling Bank' },
  { code: '301', name: 'Jaiz Bank' },
  { code: '302', name: 'TAJ Bank' },
  { code: '303', name: 'Lotus Bank' },
  { code: '502', name: 'Rand Merchant Bank' },
  { code: '559', name: 'Coronation Merchant Bank' },
  { code: '561', name: 'NOVA Bank' },
  { code: '562', name: 'Greenwich Merchant Bank' },
  { code: '601', name: 'FSDH Merchant Bank' },
  { code: '911', name: 'FBNQuest Merchant Bank' },
] as const;

const NAMES: ReadonlyMap<string, string> = new Map(BANKS.map(({ code, name }) => [code, name]));

/** Null if unknown. */
export function bankNameOf(code: string | null): string | null {
  return (code !== null && NAMES.get(code)) || null;
}
