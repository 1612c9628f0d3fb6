/** What the product is called wherever a customer reads it. The package, the tokens and the MCP server keep their technical name. */
export const BRAND = 'Purser';
