// Loaded into the service by --import: its clock is CLOCK_SHIFT_MS off, and set back an hour more at each SIGUSR2, as by a
// correction of the machine's time.
const Real = Date;
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
globalThis.Date = class Date extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
process.on('SIGUSR2', () => (shiftMs -= 3_600_000));
