import '../../styles/guest.css';
import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { TAGLINE } from '../../look/brand.js';
import { ColorScheme } from '../../parts/frame/color-scheme.js';
import { CheckIcon } from '../../parts/display/icons.js';
import { Logo } from '../../parts/frame/logo.js';

const PITCH = [
  {
    title: 'Limits that hold',
    text: 'Per payment, per rolling window, per merchant. Checked before money moves.',
  },
  {
    title: 'Every decision explained',
    text: 'Paid, blocked or refunded: see which rule decided, with the numbers.',
  },
  {
    title: 'Stopped in two taps',
    text: 'Freeze one wallet or all of them, also from your phone. Each agent has its own wallet and key.',
  },
];

const CHECKS = [
  ['Under its limit for one payment', '₦50,000'],
  ['Left of this week’s ₦200,000', '₦187,500'],
  ['Paid to an account you trust', '…4417'],
] as const;

/** A payment and why it went through, as the dashboard shows it. */
function Picture() {
  return (
    <div className="guest-picture" aria-hidden>
      <div>
        <b>Jumia</b>
        <b>₦12,500</b>
      </div>
      <div>
        <span>Office supplies agent</span>
        <i>Paid</i>
      </div>
      {CHECKS.map(([check, figure]) => (
        <div key={check}>
          <span>
            <CheckIcon size={14} /> {check}
          </span>
          <span>{figure}</span>
        </div>
      ))}
    </div>
  );
}

/** A form for guests, and beside it what this product is. */
export function Frame({ title, other, children }: { title: string; other: ReactNode; children: ReactNode }) {
  return (
    <div className="guest">
      <aside className="guest-pitch" aria-label="About">
        <Logo size={32} color="#fff" />
        <Stack gap={36} maw={520}>
          <h2>{TAGLINE}.</h2>
          <Picture />
          <ul>
            {PITCH.map(({ title: name, text }) => (
              <li key={name}>
                <CheckIcon size={20} />
                <span>
                  <b>{name}</b>
                  {text}
                </span>
              </li>
            ))}
          </ul>
        </Stack>
        <Text size="sm" c="#b9c4f7">
          Kobo-exact ledger. Signed webhooks. An open API.
        </Text>
      </aside>
      <main className="guest-form">
        <Group justify="space-between">
          <span className="guest-mark">
            <Logo />
          </span>
          <ColorScheme />
        </Group>
        <Stack w="100%" maw={400} gap="lg" mx="auto" mt="clamp(24px, 16vh, 180px)" mb="auto">
          <div>
            <Title order={1}>{title}</Title>
            <Text size="sm" c="dimmed" mt={4} hiddenFrom="md">
              {TAGLINE}.
            </Text>
          </div>
          {children}
          <Text size="sm" className="guest-other">
            {other}
          </Text>
        </Stack>
      </main>
    </div>
  );
}
