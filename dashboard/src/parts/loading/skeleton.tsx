interface Props {
  /** In pixels. */
  h?: number;
  w?: number | string;
  className?: string;
}

/** A grey block in the place of what is being loaded: lists have dozens, so it is a plain element. */
export function Skeleton({ h, w, className = '' }: Props) {
  return <div className={`skeleton ${className}`} style={{ height: h, width: w }} />;
}
