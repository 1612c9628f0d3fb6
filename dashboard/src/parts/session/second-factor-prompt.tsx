import { useEffect, useState } from 'react';
import { type Asking, type Proof, providePrompt } from '../../api/second-factor.js';
import { OnDemand } from '../loading/boundary.js';
import { loadable } from '../loading/loadable.js';

const Dialog = loadable(
  () => import('./second-factor-dialog.js'),
  (part) => part.default,
);

interface Asked extends Asking {
  /** Tells one question from the next. */
  count: number;
  answer: (proof: Proof | null) => void;
}

/** Asks for the second factor when an action needs one. */
export function SecondFactorPrompt() {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    let count = 0;
    return providePrompt(
      (asking) =>
        new Promise((answer) => {
          count += 1;
          setAsked({ count, ...asking, answer });
        }),
    );
  }, []);
  if (!asked) return null;
  const answer = (proof: Proof | null) => {
    setAsked(null);
    asked.answer(proof);
  };
  return (
    <OnDemand onFailed={() => answer(null)}>
      <Dialog key={asked.count} call={asked.call} wasWrong={asked.wasWrong} onAnswer={answer} />
    </OnDemand>
  );
}
