const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const COUNTS = ["", "K", "M", "G", "T", "P"];

/** `2.46 G`: three digits that count, of any amount. */
export const short = (amount: number): string => scaled(amount, 1000, COUNTS, 10_000);

/** `25.3 MiB`. */
export const bytes = (amount: number): string => scaled(amount, 1024, UNITS, 1024);

/** `293,514`. */
export const exactly = (amount: number): string => amount.toLocaleString("en-US");

function scaled(amount: number, base: number, units: string[], plainUntil: number): string {
  if (amount < plainUntil) {
    return `${exactly(amount)}${units[0] ? ` ${units[0]}` : ""}`;
  }
  let unit = 0;
  while (amount >= base && unit < units.length - 1) {
    amount /= base;
    unit++;
  }
  if (amount >= 999.5 && unit < units.length - 1) {
    amount /= base;
    unit++;
  }
  return `${amount.toPrecision(3).includes("e") ? Math.round(amount) : Number(amount.toPrecision(3))} ${units[unit]}`;
}
