#!/bin/sh
# An MCP server that costs next to nothing to start: it says its process's number, or dies with the `code` 0 or 3.
while read -r line; do
    id=${line#*\"id\":} id=${id%%[!0-9]*}
    case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[]}' ;;
    *'"tools/call"'*'"die"'*'"code":0'*) echo 'it is all over' >&2; exit 0 ;;
    *'"tools/call"'*'"die"'*) echo 'it is all over' >&2; exit 3 ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"'$$'"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
