// The commands for a terminal in the comment at the beginning of an exercise, and what has the same effect on the page.
const COMMAND = /(?:cargo )?checker (check|hint|profile|trace) \w+(?: --case '([^']*)')?(?=( {2,})?)/g;
const RUN = '"See your own run" below';
const WORDS = { check: "press Ctrl-S", hint: "open a hint below", profile: RUN, trace: RUN };

// The places of commands in a line of a comment, and what the page has in their place. What follows keeps its column if it can.
export function commands(line) {
    return [...line.matchAll(COMMAND)].map(({ 0: command, 1: verb, 2: name, 3: gap, index }) => {
        const words = WORDS[verb] + (name ? `, in the case "${name}"` : "");
        return { from: index, to: index + command.length, text: gap ? words.padEnd(command.length) : words };
    });
}
