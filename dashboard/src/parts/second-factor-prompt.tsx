import { useEffect, useState } from 'react';
import { providePrompt } from '../api/second-factor.js';
import { OnDemand } from './boundary.js';
import { loadable } from './loadable.js';

const Dialog = loadable(
  () => import('./second-factor-dialog.js'),
  (part) => part.default,
);

interface Asked {
  /** Tells one question from the next. */
  count: number;
  wasWrong: boolean;
  answer: (code: string | null) => void;
}

/** Asks for the code of the authenticator app when an action needs one. */
export function SecondFactorPrompt() {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    let count = 0;
    return providePrompt(
      (wasWrong) =>
        new Promise((answer) => {
          count += 1;
          setAsked({ count, wasWrong, answer });
        }),
    );
  }, []);
  if (!asked) return null;
  const answer = (code: string | null) => {
    setAsked(null);
    asked.answer(code);
  };
  return (
    <OnDemand onFailed={() => answer(null)}>
      <Dialog key={asked.count} wasWrong={asked.wasWrong} onAnswer={answer} />
    </OnDemand>
  );
}
