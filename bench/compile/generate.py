"""Prints a program that declares an operation: generate.py COLUMNS STEPS

0 columns prints a program that only includes the library. The program exits with 0 if the
library sees all columns and steps, in order."""

import sys

columns, steps = map(int, sys.argv[1:3])
print("#include <bulk/declare.hpp>\n")
if columns:
    types = ["std::string", "int", "double", "bool", "std::optional<long>"]
    print("struct row {")
    for i in range(columns):
        print(f"    {types[i % len(types)]} member_{i}{{}};")
    print("};")
    members = [f'(member_{i}, .column = "Column {i}")' if i % 4 == 0 else f"member_{i}" for i in range(columns)]
    print(f"BULK_ROW(row, {', '.join(members)});\n")
    print("struct wide : bulk::operation<wide, row> {")
    print('    BULK_OPERATION("wide")')
    for i in range(steps):
        print(f'    BULK_STEP(step_{i}, "Step {i}", .order = {steps - i}, .max_retries = {i % 5})')
        print("    (const row&, const bulk::no_metadata&, bulk::context&) { ++called; }")
    print("    int called = 0;\n};\n")
    print(f"""int main() {{
    const auto& operation = *bulk::operations<wide>.find("Wide").value();
    if (operation.columns.size() != {columns} || operation.steps.size() != {steps}) return 1;
    if (operation.columns[{columns - 1}].member != "member_{columns - 1}") return 2;
    if (operation.columns[0].name != "Column 0") return 3;
    if (operation.steps[0].name != "Step {steps - 1}") return 4;
    wide object;
    bulk::step_table table{{object}};
    bulk::context ctx{{{{}}}};
    const row empty;
    table.visit_from(0, [&](auto step) {{
        step.execute(empty, {{}}, ctx);
        return true;
    }});
    return object.called == {steps} ? 0 : 5;
}}""")
else:
    print("int main() {}")
