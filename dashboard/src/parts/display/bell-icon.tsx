/** A drawing beside its link's name. */
export const BellIcon = ({ isRinging }: { isRinging: boolean }) => (
  <svg
    width={18}
    height={18}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.7}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
  >
    <path d="M6 10a6 6 0 0 1 12 0c0 5 2 6 2 7H4c0-1 2-2 2-7M10 20a2 2 0 0 0 4 0" />
    {isRinging && <circle cx={18} cy={6} r={3.5} fill="#e03131" stroke="none" />}
  </svg>
);
