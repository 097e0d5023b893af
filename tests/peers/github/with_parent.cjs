// `node -r with_parent.cjs PROGRAM`: ends when whoever holds the other end of standard input does, killed or not.
process.stdin.on("end", () => process.exit(0)).resume();
