/* int add(int, int): a file that is not looked into. */
    .text
    .globl add
    .type add, @function
add:
    leal (%rdi,%rsi), %eax
    ret
    .size add, .-add
    .section .note.GNU-stack,"",@progbits
