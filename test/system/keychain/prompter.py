"""A prompter for gnome-keyring that nobody answers, on the bus of the environment.

Prints a line when it owns the name, and one for each dialog shown. It ends when its stdin does.
"""
import os
import sys
import threading

from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

CALLBACK = 'org.gnome.keyring.internal.Prompter.Callback'


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_stdin, daemon=True).start()
connection = open_dbus_connection(bus='SESSION')
connection.send_and_get_reply(message_bus.RequestName('org.gnome.keyring.SystemPrompter'))
print('ready', flush=True)


def answer(peer, path, reply):
    callback = DBusAddress(path, bus_name=peer, interface=CALLBACK)
    connection.send(new_method_call(callback, 'PromptReady', 'sa{sv}s', (reply, {}, '')))


while True:
    message = connection.receive()
    if message.header.message_type is not MessageType.method_call:
        continue
    fields = {field.name: value for field, value in message.header.fields.items()}
    connection.send(new_method_return(message))
    if fields['member'] == 'BeginPrompting':
        answer(fields['sender'], message.body[0], '')
    elif fields['member'] == 'PerformPrompt':
        print('dialog', flush=True)
