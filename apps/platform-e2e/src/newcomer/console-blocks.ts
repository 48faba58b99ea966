/** A command of a page, and the lines that the page shows as its output. */
export interface ShownCommand {
  command: string;
  output: string[];
}

/** The commands in the fenced `console` blocks of a Markdown page: lines that begin with `$ `, what follows is shown. */
export function consoleCommands(markdown: string): ShownCommand[] {
  const blocks = [...markdown.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');
  return blocks.flatMap((block) => {
    const commands: ShownCommand[] = [];
    for (const line of block.trimEnd().replaceAll('\\\n', '').split('\n')) {
      if (line.startsWith('$ ')) commands.push({ command: line.slice(2), output: [] });
      else commands.at(-1)?.output.push(line);
    }
    return commands;
  });
}

/** The first of these lines that is not among those, behind the one before it; undefined when all are. */
export function firstMissing(lines: readonly string[], among: readonly string[]): string | undefined {
  let from = 0;
  return lines.find((line) => {
    const at = among.indexOf(line, from);
    from = at + 1;
    return at === -1;
  });
}

/** An output without what differs each time: ids, times, and how much is left out where a line says `…`. */
export function timeless(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.replace(/aev_[\w-]+/g, 'aev_').replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"now"'))
    .filter((line) => line !== '' && line !== '…');
}
