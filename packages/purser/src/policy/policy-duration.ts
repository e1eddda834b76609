const minuteMs = 60_000;

/**
 * Milliseconds of a duration such as `4h`, `1d12h` or `90m`: days, hours and minutes in this order, each at most once. A day has
 * 24 hours. Undefined for any other text and for zero.
 */
export function parsePolicyDuration(text: string): number | undefined {
  const [whole, days = "0", hours = "0", minutes = "0"] =
    /^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * minuteMs;
  return total === 0 ? undefined : total;
}
