const LONG_PATH = /(?<=^|[\s(])(?:\/[^\s/()]+){5,}/g;
const SENTENCE_END = /(?<=\.)\s+(?=\p{Lu})/u;

/**
 * What the status says, a sentence a row. VS Code shows each on one line that does not wrap and whose end is
 * cut, together with the command behind it: so paths are told by their last parts.
 */
export const rows = (message: string, detail: string): [string, ...string[]] => {
  const [first = "", ...others] = message.split(SENTENCE_END);
  return [shorten(first), ...others.map(shorten), ...(detail === "" ? [] : [shorten(detail)])];
};

const shorten = (text: string): string =>
  text.replace(LONG_PATH, (path) => `…/${path.split("/").slice(-4).join("/")}`);
