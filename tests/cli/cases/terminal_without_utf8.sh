make_image flat in.png 8x8 128
export NO_COLOR=1
LC_ALL=C on_terminal 40 gpuimg hist in.png
echo '--- ASCII in other locales, on terminals and in pipes'
is_ascii() { LC_ALL=C grep -q '[^ -~]' && echo no || echo yes; }
# env runs inside on_terminal, because Python changes the C locale to C.UTF-8 for its child processes.
on_terminal 40 env LC_ALL= LC_CTYPE=C LANG=C.UTF-8 gpuimg hist in.png | is_ascii
on_terminal 40 env LC_ALL= LC_CTYPE= LANG=C.UTF-8 gpuimg hist in.png | is_ascii
env -u LC_ALL -u LC_CTYPE -u LANG gpuimg hist --chart in.png | is_ascii
gpuimg hist --chart in.png | is_ascii
