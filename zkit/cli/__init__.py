"""The command line.

    main, commands         the entry point; the table of commands, each imported when it is called
    streams, screen        input, output and errors; tables and colours
    shared_options         options that several commands share, and the objects they make
    repair, decode, extract, schema, tools, kit_command, mcp, proxy, doctor, demo, demo_repair,
    corpus, corpus_add, batch, docs    one command each, with its subcommands
    pages, std_page        the pages that `zkit docs` writes
    chat                   `zkit chat`

It has more than a dozen modules because there is one for each command.
"""
