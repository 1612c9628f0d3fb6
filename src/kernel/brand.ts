/** Product name for customers. */
export const BRAND = 'Purser';
