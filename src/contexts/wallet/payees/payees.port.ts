export const PAYEES_MAX = 1_000;
/** `historyId` of payees for every key. */
export const WHOLE_WALLET = '00000000-0000-0000-0000-000000000000';
