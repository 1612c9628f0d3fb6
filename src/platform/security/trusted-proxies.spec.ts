import { expect, it } from '@jest/globals';
import { areTrustedProxies } from './trusted-proxies.js';

it.each([
  [99, true],
  [100, true],
  [101, false],
])('%i networks of proxies are believed: %p', (count, isTaken) => {
  const networks = Array.from({ length: count }, (_, i) => `10.0.${i}.0/24`);
  expect(areTrustedProxies(networks)).toBe(isTaken);
});
