"""The command line.

    main, commands         the entry point; the table of commands, each imported when it is called
    streams, screen        input, output and errors; tables and colours
    servers, toolboxes     options and objects that several commands share
    repair, decode, extract, schema, tools, kit_command, mcp, proxy, doctor, demo, demo_repair,
    corpus, corpus_add, batch, docs    one command each, with its subcommands
    api_page, pages, std_page          the pages that `zkit docs` writes
    chat                   `zkit chat`

It has more than a dozen modules because there is one for each command.
"""
