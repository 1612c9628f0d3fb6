import { Box, Button, Text } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { Boundary } from '../../parts/loading/boundary.js';
import { Card } from '../../parts/display/card.js';
import { Failure } from '../../parts/loading/failure.js';
import { CheckIcon } from '../../parts/display/icons.js';
import { loadable } from '../../parts/loading/loadable.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useRememberedKey } from '../../session/secrets.js';
import type { Wallet } from '../../api/types.js';
import type { Step } from './use-start.js';

const Snippets = loadable(
  () => import('../../parts/display/snippets.js'),
  ({ Snippets }) => Snippets,
);

/** The first steps, until they are done. */
export function Start({ steps, onFinish }: { steps: readonly Step[]; onFinish: () => void }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card
      title="Get started"
      flush
      aside={
        <Text size="sm" c="dimmed" component="div">
          {done} of {steps.length} done
          <Button variant="subtle" size="compact-sm" ml="sm" onClick={onFinish}>
            Hide
          </Button>
        </Text>
      }
    >
      <ol className="rows start">
        {steps.map((step) => (
          <li key={step.name}>
            <Line step={step} isNext={step === next} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Line({ step, isNext }: { step: Step; isNext: boolean }) {
  const [isInCode, setIsInCode] = useState(false);
  const { inCode } = step;
  if (!inCode || step.isDone) return <StepRow step={step} isNext={isNext} />;
  return (
    <>
      <StepRow
        step={step}
        isNext={isNext}
        more={
          <Button
            variant="transparent"
            size="compact-xs"
            px={0}
            aria-expanded={isInCode}
            onClick={() => setIsInCode(!isInCode)}
          >
            {isInCode ? 'Hide the code' : 'Or from your code'}
          </Button>
        }
      />
      {isInCode && (
        <Box px="md" pb="md">
          <Suspense fallback={<BlocksLoading heights={[320]} />}>
            <Boundary draw={(error, retry) => <Failure error={error} what="The code" onRetry={retry} />}>
              <CodeFor wallet={inCode} />
            </Boundary>
          </Suspense>
        </Box>
      )}
    </>
  );
}

function CodeFor({ wallet }: { wallet: Wallet }) {
  return <Snippets wallet={wallet} apiKey={useRememberedKey(wallet.id)} />;
}

interface RowProps {
  step: Step;
  isNext: boolean;
  more?: ReactNode;
}

function StepRow({ step: { name, why, to, isDone }, isNext, more }: RowProps) {
  return (
    <div className="row row-plain start-step">
      <span
        className={isDone ? 'timeline-mark good' : 'timeline-mark'}
        role="img"
        aria-label={isDone ? 'Done' : 'To do'}
      >
        {isDone && <CheckIcon size={13} />}
      </span>
      <div>
        <Text size="sm" fw={500} {...(isDone && { c: 'dimmed' })}>
          {name}
        </Text>
        {!isDone && (
          <Text size="xs" c="dimmed">
            {why} {more}
          </Text>
        )}
      </div>
      {!isDone && (
        <Button
          component={Link}
          to={to}
          size="xs"
          variant={isNext ? 'filled' : 'default'}
          aria-label={`${isNext ? 'Start' : 'Open'}: ${name}`}
        >
          {isNext ? 'Start' : 'Open'}
        </Button>
      )}
    </div>
  );
}
