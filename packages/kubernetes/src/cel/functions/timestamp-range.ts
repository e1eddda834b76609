import { CelTimestamp, type CelValue, fault } from "../cel-value.ts";

/** The first and the last valid second, of the years 1 and 9999. */
const first = -62_135_596_800_000_000_000n;
const last = 253_402_300_799_999_999_999n;

/** The timestamp, or an error when it is out of range. */
export function timestampOf(nanos: bigint, offsetMinutes = 0): CelValue {
  return nanos < first || nanos > last ? fault("timestamp overflow") : new CelTimestamp(nanos, offsetMinutes);
}
