"""Environment variables that decide what a run may do."""

SKIP_VARIABLE = "REVIEWGATE_GH_SKIP"
# What coding agents set for the commands that they run, and whose each is. codex: `codex exec env`;
# gemini-cli: packages/core/src/services/shellExecutionService.ts; the others from their programs.
AGENT_MARKS = {
    "CLAUDECODE": "Claude Code",
    "CODEX_THREAD_ID": "Codex",
    "CODEX_SESSION_ID": "Codex",
    "CODEX_SANDBOX": "Codex",
    "CODEX_CI": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "QWEN_CODE": "Qwen Code",
    "COPILOT_CLI": "Copilot CLI",
    "COPILOT_AGENT_SESSION_ID": "Copilot CLI",
    "CURSOR_AGENT": "Cursor",
    "AI_AGENT": "a coding agent",
}
