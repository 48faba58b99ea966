/** In a process that was made to serve its parent: answers each of its messages, one at a time, and ends with it. */
export const answerParent = <Ask, Answer>(answer: (ask: Ask) => Promise<Answer>): void => {
  process.on('message', (ask: Ask) => {
    answer(ask).then(
      (result) => process.send?.({ result }),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
};
