/** The page of the panel: one script and one style sheet of ours, and nothing else may be loaded or run. */
export const page = (source: string, script: string, style: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${source}; script-src ${source}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Model</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="main"></main>
<script src="${script}"></script>
</body>
</html>
`;
