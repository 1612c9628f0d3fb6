import type { ReactNode } from 'react';

/* Icons are drawings beside words; they have no name of their own. */
function Icon({ children, size = 18 }: { children: ReactNode; size?: number | undefined }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

interface Size {
  size?: number;
}

export const WalletIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M4 7a2 2 0 0 1 2-2h11v4M4 7v10a2 2 0 0 0 2 2h13a1 1 0 0 0 1-1v-8a1 1 0 0 0-1-1H6a2 2 0 0 1-2-2M16 14h.010" />
  </Icon>
);
export const ListIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M4 7h11m0 0-3-3m3 3-3 3M20 17H9m0 0 3-3m-3 3 3 3" />
  </Icon>
);
export const ApprovalIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M12 3l7 3v5c0 4.6-2.9 8.2-7 10-4.100-1.800-7-5.400-7-10V6zM9 11.800l2.200 2.200 4-4.200" />
  </Icon>
);
export const HookIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M4 12h4l3 7 4-14 2 7h3" />
  </Icon>
);
export const BookIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11" />
  </Icon>
);
export const FileIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M14 3H6v18h12V7zm0 0v4h4M9 12h6M9 16h6" />
  </Icon>
);
export const CheckIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M5 12.500l4.500 4.500L19 7.500" />
  </Icon>
);
export const CrossIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M6 6l12 12M18 6L6 18" />
  </Icon>
);
export const DashIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M7 12h10" />
  </Icon>
);
export const CopyIcon = ({ size }: Size) => (
  <Icon size={size}>
    <rect x="8" y="8" width="12" height="12" rx="2" />
    <path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2" />
  </Icon>
);
export const DownloadIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14" />
  </Icon>
);
export const PlusIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);
export const SunIcon = ({ size }: Size) => (
  <Icon size={size}>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1" />
  </Icon>
);
export const MoonIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M20 14.500A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z" />
  </Icon>
);
export const LeaveIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4M15 8l4 4-4 4M19 12H9" />
  </Icon>
);
export const CalendarIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M5 6h14a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1zM4 10.500h16M8.500 3.500V8M15.500 3.500V8" />
  </Icon>
);
export const SearchIcon = ({ size }: Size) => (
  <Icon size={size}>
    <circle cx="11" cy="11" r="6.500" />
    <path d="M16 16l4 4" />
  </Icon>
);
export const SettingsIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
    <circle cx="15" cy="7" r="2" />
    <circle cx="9" cy="17" r="2" />
  </Icon>
);
export const FlaskIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M9.500 4h5M10.500 4v6L5.500 18.500A1 1 0 0 0 6.400 20h11.200a1 1 0 0 0 .900-1.500L13.500 10V4M8 15h8" />
  </Icon>
);
export const KeyIcon = ({ size }: Size) => (
  <Icon size={size}>
    <circle cx="8" cy="16" r="4" />
    <path d="M11 13l8-8M15.500 8.500l3 3" />
  </Icon>
);
export const PlayIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M8 5.5v13l10-6.5z" />
  </Icon>
);

export const FreezeIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M12 3v18M4.200 7.500l15.600 9M4.200 16.500l15.600-9M9.500 4.500L12 7l2.500-2.500M9.500 19.500L12 17l2.500 2.500" />
  </Icon>
);
export const MoreIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M5.500 12h.010M12 12h.010M18.500 12h.010" strokeWidth="3" />
  </Icon>
);
export const ArrowUpIcon = ({ size }: Size) => (
  <Icon size={size}>
    <path d="M12 19V5M6.500 10.500L12 5l5.500 5.500" />
  </Icon>
);
