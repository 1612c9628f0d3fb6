/** Product name. The mark is `public/favicon.svg`. */
export const NAME = 'Purser';

export const TAGLINE = 'Naira wallets for AI agents, with limits you set';
