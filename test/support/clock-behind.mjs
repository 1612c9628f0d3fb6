// Loaded into the service by --import: at SIGUSR2 its clock is set back an hour, as by a correction of the machine's time.
const Real = Date;
let shiftMs = 0;
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
