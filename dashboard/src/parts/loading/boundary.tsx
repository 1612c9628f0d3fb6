import { Component, type ReactNode, Suspense } from 'react';
import { renewFailed } from './loadable.js';
import { refused } from '../toasts/toasts.js';

interface Props {
  children: ReactNode;
  /** Replaces what failed. */
  draw: (error: unknown, retry: () => void) => ReactNode;
  onError?: (error: unknown) => void;
  /** Drawn again when this changes. */
  at?: string;
}

interface State {
  failure: { error: unknown } | null;
  at: string | undefined;
}

/** Keeps what fails while it is drawn, or can't be loaded, from taking the whole page with it. Only a class can. */
export class Boundary extends Component<Props, State> {
  override state: State = { failure: null, at: this.props.at };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): Partial<State> | null {
    return at === state.at ? null : { failure: null, at };
  }

  override componentDidCatch(error: unknown): void {
    renewFailed();
    this.props.onError?.(error);
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure
      ? this.props.draw(failure.error, () => this.setState({ failure: null }))
      : this.props.children;
  }
}

/** A part that is loaded with its first use. That it can't be is said in a toast, and `onFailed` has the next use try again. */
export function OnDemand({
  fallback = null,
  onFailed,
  children,
}: {
  fallback?: ReactNode;
  onFailed: () => void;
  children: ReactNode;
}) {
  return (
    <Boundary
      draw={() => fallback}
      onError={(error) => {
        onFailed();
        refused(error);
      }}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}
