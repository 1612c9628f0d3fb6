import { dayAndTime } from '../../text/time.js';

/** A moment in the viewer's zone; the exact instant shows on hover. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at} className="tabular">
      {dayAndTime(at)}
    </time>
  );
}
