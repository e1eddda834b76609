/** The response of a query that was not executed. */
export function failedQuery(message: string): string {
  return `${JSON.stringify({ data: null, errors: [{ message, locations: [] }] })}\n`;
}
