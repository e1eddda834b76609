/** Whether a text is `YYYY-MM-DD` with a day that exists, as the string format `date` of Kubernetes. */
export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return parts !== null && isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

function isDay(year: number, month: number, day: number): boolean {
  const lengths = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  return month >= 1 && month <= 12 && day >= 1 && day <= (lengths[month - 1] ?? 0);
}

/** Whether a text is a date and a time of day with its zone, as the string format `date-time` of Kubernetes. */
export function isDateTime(text: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2})[tT](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))$/.exec(text);
  if (parts === null || !isDate(parts[1] ?? "")) return false;
  return Number(parts[2]) < 24 && Number(parts[3]) < 60 && Number(parts[4]) < 60;
}
