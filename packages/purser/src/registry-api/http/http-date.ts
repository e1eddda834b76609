const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const clock = "(\\d{2}):(\\d{2}):(\\d{2})";
const current = new RegExp(`^${day}, (\\d{2}) (\\w{3}) (\\d{4}) ${clock} GMT$`);
const rfc850 = new RegExp(`^${day}[a-z]*day, (\\d{2})-(\\w{3})-(\\d{2}) ${clock} [A-Z]{3,4}$`);
const asctime = new RegExp(`^${day} (\\w{3}) ([ \\d]\\d) ${clock} (\\d{4})$`);

/** Parses an HTTP date in any of its three formats to milliseconds since the epoch; undefined for anything else. */
export function parseHttpDate(text: string): number | undefined {
  const modern = current.exec(text);
  if (modern !== null) return epoch(modern[3], modern[2], modern[1], modern.slice(4));
  const dashed = rfc850.exec(text);
  if (dashed !== null) {
    const short = Number(dashed[3]);
    return epoch(String(short + (short >= 69 ? 1900 : 2000)), dashed[2], dashed[1], dashed.slice(4));
  }
  const old = asctime.exec(text);
  return old === null ? undefined : epoch(old[6], old[1], old[2]?.trim(), old.slice(3, 6));
}

function epoch(year = "", month = "", date = "", time: readonly string[] = []): number | undefined {
  const [hour = 0, minute = 0, second = 0] = time.map(Number);
  const monthIndex = months.indexOf(month);
  const ms = Date.UTC(Number(year), monthIndex, Number(date), hour, minute, second);
  const isReal =
    monthIndex >= 0 && hour < 24 && minute < 60 && second < 60 && new Date(ms).getUTCDate() === Number(date);
  return isReal ? ms : undefined;
}

/** Formats a date for a header: `Fri, 02 Jan 2026 03:04:05 GMT`. */
export function formatHttpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}
